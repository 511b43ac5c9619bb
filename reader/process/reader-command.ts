import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Confinement } from '../confine/confinement.ts'

export interface ReaderLimits {
  /** Resident memory. */
  memoryBytes: number
  /** From ready to the verdict, including time spent waiting for input and output. */
  timeoutMs: number
}

/** How to start a reader: the command, and an inherited descriptor in addition to its pipes. */
export interface ReaderCommand {
  command: string[]
  inherited?: number
}

export type StartReader = (limits: ReaderLimits) => ReaderCommand

const root = resolve(import.meta.dirname, '../..')
const readerMain = fileURLToPath(new URL('./reader-main.ts', import.meta.url))

/**
 * The command line of a reader, which hostile input may take over. Node's permissions let it read only its program,
 * write nothing, start no process and generate no code from text, in addition to the kernel's confinement (`confine/`).
 */
export const readerProgram = (
  { program, folders, node }: { program: string[]; folders: string[]; node: string } = {
    program: [readerMain],
    // A program that is not packed loads packages of the repository.
    folders: [dirname(readerMain), root],
    node: process.execPath,
  },
): string[] => [
  node,
  ...['--disable-sigusr1', '--max-semi-space-size=4', '--disallow-code-generation-from-strings'],
  ...['--permission', ...folders.map((folder) => `--allow-fs-read=${folder}`)],
  ...program,
]

/** The descriptor by which `reader-start request` reaches the process that starts readers (confine/reader-start.c). */
export const readerRequestsFd = 5

/** Readers started by the reader host process, as the readers' user. */
export const requestedReaders =
  (readerStart: string): StartReader =>
  (limits) => ({ command: [readerStart, 'request', ...bounds(limits)], inherited: readerRequestsFd })

/** Readers started by this process, as its user, also with the system call filter. */
export const directReaders =
  ({ readerStart, seal }: Confinement, program: string[]): StartReader =>
  (limits) => ({ command: [readerStart, 'direct', ...bounds(limits), seal, ...program] })

const bounds = ({ memoryBytes, timeoutMs }: ReaderLimits): string[] => [
  String(memoryBytes),
  String(Math.ceil(timeoutMs / 1000)),
]
