"""The figures of Geumlek and Chaudhuri: profile-based privacy in three small experiments."""
