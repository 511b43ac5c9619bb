java Main
