import { text } from 'node:stream/consumers'
import type { Answers } from './attack.ts'
import { attacks } from './attacks/all.ts'
import type { Hostile } from './companies.ts'

/*
 * One attack as a separate process, so that it shares no event loop with the measurement. Reads the hostile company from
 * standard input, runs until SIGTERM, and prints how its requests were answered.
 */
const attack = attacks.find(({ name }) => name === process.argv[2])
if (!attack) throw new Error(`there is no attack ${process.argv[2]}`)
const hostile = JSON.parse(await text(process.stdin)) as Hostile
const stop = new AbortController()
process.on('SIGTERM', () => stop.abort())
const answers: Answers = {}
await attack.run(hostile, stop.signal, answers).catch((error: unknown) => {
  if (!stop.signal.aborted) throw error
})
console.log(JSON.stringify(answers))
process.exit(0)
