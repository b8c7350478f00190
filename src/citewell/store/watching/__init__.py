"""What is watched for changes, and the news that was found, encrypted with the owner's keys."""
