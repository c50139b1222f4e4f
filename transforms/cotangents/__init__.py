"""How context cotangents are held: one interface, two representations."""
