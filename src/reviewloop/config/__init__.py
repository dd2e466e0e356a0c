"""What the project, the user, the environment and the command line ask for, and where each of them said so."""
