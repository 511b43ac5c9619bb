import { text } from 'node:stream/consumers'
import type { Answers } from './attack.ts'
import { attacks } from './attacks/all.ts'
import type { Hostile } from './companies.ts'

/*
 * One attack as a separate process, so that it shares no event loop with the measurement. Reads the hostile company from
 * standard input, runs until SIGTERM, and prints how its requests were answered: each second too, since a process that gets little
 * of a loaded machine may be killed before it ends.
 */
const attack = attacks.find(({ name }) => name === process.argv[2])
if (!attack) throw new Error(`there is no attack ${process.argv[2]}`)
const hostile = JSON.parse(await text(process.stdin)) as Hostile
const stop = new AbortController()
process.on('SIGTERM', () => stop.abort())
const answers: Answers = {}
const print = () => console.log(JSON.stringify(answers))
setInterval(print, 1000)
await attack.run(hostile, stop.signal, answers).catch((error: unknown) => {
  if (!stop.signal.aborted) throw error
})
print()
process.exit(0)
