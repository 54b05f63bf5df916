"""The figures of Yoshida, Yung and Hayashi: the share of a secret bit, estimated at bounded total variation."""
