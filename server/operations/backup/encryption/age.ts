import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { hasCode } from '../../../base/errors/has-code.ts'
import { BackupProblem } from '../backup-problem.ts'
import { nowhere } from '../streams.ts'

/*
 * Encryption with the program age, of Debian's package of that name: one process for each file. Output counts only when the process has
 * exited with 0 and has read all of its input, so a file that was cut off is never taken for a whole one.
 */

/** This machine cannot encrypt or decrypt: age is missing, or refuses the recipients or the identity. It says nothing about a backup. */
export class EncryptionProblem extends BackupProblem {}

const saidMost = 500
const missing = 'backups are encrypted by age, which is not on this machine: apt-get install age'

/** Encrypts what is written to it. */
export const encryption = (recipients: readonly string[], signal?: AbortSignal): Duplex =>
  Duplex.from((content: AsyncIterable<Buffer>) =>
    outputOf([...recipients.flatMap((recipient) => ['--recipient', recipient])], { content, signal }),
  )

/** Decrypts what is written to it. The identity file has a key that the program can read without a passphrase. */
export const decryption = (identityFile: string, signal?: AbortSignal): Duplex =>
  Duplex.from((content: AsyncIterable<Buffer>) =>
    outputOf(['--decrypt', '--identity', identityFile], { content, signal }),
  )

/** Throws an `EncryptionProblem` if nothing can be encrypted to these recipients. */
export async function checkRecipients(recipients: readonly string[]): Promise<void> {
  if (recipients.length > 0) await pipeline([], encryption(recipients), nowhere())
}

interface Input {
  content: AsyncIterable<Buffer>
  signal: AbortSignal | undefined
}

async function* outputOf(args: string[], { content, signal }: Input): AsyncGenerator<Buffer> {
  const child = spawn('age', args, { stdio: ['pipe', 'pipe', 'pipe'], signal })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < saidMost) said += text
  })
  const ended = once(child, 'close') as Promise<[number | null]>
  const fed = pipeline(content, child.stdin)
  // Awaited when the output has ended.
  for (const promise of [ended, fed]) promise.catch(() => undefined)
  try {
    yield* child.stdout
    const [code] = await ended
    if (code !== 0) throw new EncryptionProblem(`age: ${reasonIn(said) || `exit code ${code}`}`)
    await fed
  } catch (error) {
    throw isMissingProgram(error) ? new EncryptionProblem(missing) : error
  } finally {
    child.kill('SIGKILL')
  }
}

const isMissingProgram = (error: unknown) =>
  hasCode(error, 'ENOENT') && error instanceof Error && 'syscall' in error && error.syscall === 'spawn age'

/** The last line asks for a report to the authors of age. */
const reasonIn = (said: string): string | undefined =>
  said
    .trim()
    .split('\n')[0]
    ?.replace(/^age: (error: )?/, '')
