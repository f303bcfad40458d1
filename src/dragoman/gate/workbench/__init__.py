"""What an operator does with a policy before it is in force: write, take over, read, judge, compare it. Pure."""
