"""What is done and said about versions whose answers the site keeps: attackers at freeze, what retirement publishes."""
