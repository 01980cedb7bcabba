// The command line over the core; see the README.
process.exitCode = 2;
