// Holds the place until the language is here.
