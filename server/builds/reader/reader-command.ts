import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Confinement } from '../../confine/native.ts'

export interface ReaderLimits {
  /** Resident memory. */
  memoryBytes: number
  /** From when it is up to its verdict; the time that others take with its input and output included. */
  timeoutMs: number
}

/** How a reader is started: the command, and a descriptor of ours that it needs besides its pipes. */
export interface ReaderCommand {
  command: string[]
  inherited?: number
}

export type StartReader = (limits: ReaderLimits) => ReaderCommand

const serverFolder = resolve(import.meta.dirname, '../..')
const readerMain = fileURLToPath(new URL('./reader-main.ts', import.meta.url))

/**
 * What is run, which may fall to what it reads. It opens no file but those of the server's own program, writes none, starts
 * no process and makes no code out of text: Node's own refusals, besides those of the kernel (`confine/`).
 */
export const readerProgram = (
  { program, folder, node }: { program: string[]; folder: string; node: string } = {
    program: [readerMain],
    folder: dirname(readerMain),
    node: process.execPath,
  },
): string[] => [
  node,
  ...['--disable-sigusr1', '--max-semi-space-size=4', '--disallow-code-generation-from-strings'],
  ...['--permission', ...[serverFolder, folder].map((folder) => `--allow-fs-read=${folder}`)],
  ...program,
]

/** Started by the process beside ours, as the readers' own user. */
export const requestedReaders =
  (readerStart: string): StartReader =>
  (limits) => ({ command: [readerStart, 'request', ...bounds(limits)], inherited: 5 })

/** Started by us, as our own user, with the filter of system calls all the same. */
export const directReaders =
  ({ readerStart, seal }: Confinement, program: string[]): StartReader =>
  (limits) => ({ command: [readerStart, 'direct', ...bounds(limits), seal, ...program] })

const bounds = ({ memoryBytes, timeoutMs }: ReaderLimits): string[] => [
  String(memoryBytes),
  String(Math.ceil(timeoutMs / 1000)),
]
