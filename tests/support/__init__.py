"""What the tests share: instances, problems of the user's own, searches, commands, pages."""
