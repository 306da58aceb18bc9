"""Jobs in other processes, of this machine or of others."""
