import { resolve } from 'node:path'

export interface ReaderLimits {
  /** Resident memory. */
  memoryBytes: number
  /** From when it is up to its verdict; the time that others take with its input and output included. */
  timeoutMs: number
}

const serverFolder = resolve(import.meta.dirname, '../..')
const mib = 1024 ** 2
/** What V8 sets aside without using it, on top of what may be used: the kernel counts it as data. */
const reservedBytes = 1024 * mib

/**
 * The command that runs a program which may fall to what it reads. As the service user, like the worker that starts it,
 * without a way to gain privileges; ended by the kernel when the worker dies, when it computes for longer than its time
 * or maps far more than its memory. It opens no file but those of the server's own program, writes none, starts no
 * process and makes no code out of text.
 */
export function readerCommand(
  { memoryBytes, timeoutMs }: ReaderLimits,
  program: string[],
  programFolder = serverFolder,
): string[] {
  const bounds = {
    core: 0,
    fsize: 0,
    nofile: 64,
    cpu: Math.ceil(timeoutMs / 1000),
    data: memoryBytes + reservedBytes,
  }
  return [
    ...['/usr/bin/setpriv', '--no-new-privs', '--pdeathsig=KILL', '--'],
    ...['/usr/bin/prlimit', ...Object.entries(bounds).map(([name, value]) => `--${name}=${value}`), '--'],
    process.execPath,
    ...[`--max-old-space-size=${Math.floor(memoryBytes / 2 / mib)}`, '--max-semi-space-size=4'],
    '--disallow-code-generation-from-strings',
    ...['--permission', ...[serverFolder, programFolder].map((folder) => `--allow-fs-read=${folder}`)],
    ...program,
  ]
}
