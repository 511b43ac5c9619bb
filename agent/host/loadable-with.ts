import { execFile } from 'node:child_process'

const timeoutMs = 10_000

/** `library`, if the program starts with it in place of the system's library of the same name; otherwise undefined. */
export function loadableWith(program: string, library: string): Promise<string | undefined> {
  const options = {
    env: { LD_PRELOAD: library },
    cwd: '/',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  } as const
  return new Promise((resolve) =>
    execFile(program, ['--version'], options, (error) => resolve(error ? undefined : library)),
  )
}
