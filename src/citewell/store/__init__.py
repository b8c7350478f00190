"""What is kept: answers, artifacts and small facts, encrypted, on one machine or many."""
