"""What another rule would have paged for in the history that is stored, against the present one."""
