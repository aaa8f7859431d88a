// Preloaded into a server whose clock a test moves: each SIGUSR2 is a minute, and a second.
const { now } = Date;
let offsetMs = 0;
Date.now = () => now() + offsetMs;
process.on('SIGUSR2', () => {
  offsetMs += 61_000;
  process.stdout.write(`The clock is ${offsetMs} ms ahead.\n`);
});
