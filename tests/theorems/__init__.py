"""Published theorems against brute force; a planted error in each is caught."""
