"""From any matrix to an exactly private one."""
