"""What the tests share: instances, users' own problems, searches, commands, pages."""
