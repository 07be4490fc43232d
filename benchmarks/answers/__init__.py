"""What every command answers on known stores, recorded, and two recordings compared."""
