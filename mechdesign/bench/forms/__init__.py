"""Forms of a question as a conic program: one file each."""

from mechdesign.bench.forms.all_pairs import AllPairs, Looped, NeighbouringPairs
from mechdesign.bench.forms.auxiliary_variables import AuxiliaryVariables
from mechdesign.bench.forms.decisions import Decisions
from mechdesign.bench.forms.exponential_cones import ExponentialCones
from mechdesign.bench.forms.form import Form, PosedProgram
from mechdesign.bench.forms.rays import ExtremeRays
from mechdesign.bench.forms.rotated_cones import RotatedCones
from mechdesign.bench.forms.second_order_cones import SecondOrderCones

#: The forms by their names.
FORMS: dict[str, Form] = {
    form.name: form
    for form in (
        Looped(),
        AllPairs(),
        NeighbouringPairs(),
        AuxiliaryVariables(),
        Decisions(),
        ExtremeRays(),
        SecondOrderCones(),
        ExponentialCones(),
        RotatedCones(),
    )
}

__all__ = ["FORMS", "Form", "PosedProgram"]
