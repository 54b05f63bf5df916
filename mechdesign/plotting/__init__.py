"""Pictures of mechanisms, audits, frontiers, certificates and estimates, with matplotlib (the extra ``plot``).

Every function draws in the axes or the figure that it is given, or in a figure of its own that notebooks show, and
returns the figure. None opens a window, and pyplot is never loaded.
"""

from mechdesign.plotting.certificates import certificate
from mechdesign.plotting.estimates import estimate
from mechdesign.plotting.frontiers import frontier
from mechdesign.plotting.heat_maps import heat_map, posterior_map
from mechdesign.plotting.output_levels import output_levels
from mechdesign.plotting.paper_figures import paper_figure
from mechdesign.plotting.performance_profiles import data_profile, performance_profile
from mechdesign.plotting.privacy_profiles import privacy_profile
from mechdesign.plotting.query_curves import queries
from mechdesign.plotting.sweeps import sweep
from mechdesign.plotting.theorem_regions import theorem_region

__all__ = [
    "certificate",
    "data_profile",
    "estimate",
    "frontier",
    "heat_map",
    "output_levels",
    "paper_figure",
    "performance_profile",
    "posterior_map",
    "privacy_profile",
    "queries",
    "sweep",
    "theorem_region",
]
