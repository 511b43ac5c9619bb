import { execFile } from 'node:child_process'
import { isPreloadable } from '../../server/native-programs/preload.ts'

const timeoutMs = 10_000

/**
 * `library`, if the program starts with it in place of the system's library of the same name; otherwise undefined. ld.so starts a
 * program without a library that it cannot load, and says so on standard error alone.
 */
export async function loadableWith(program: string, library: string): Promise<string | undefined> {
  if (!isPreloadable(library)) return undefined
  const options = {
    env: { LD_PRELOAD: library },
    cwd: '/',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  } as const
  return new Promise((resolve) =>
    execFile(program, ['--version'], options, (error, _version, problem) =>
      resolve(error || problem ? undefined : library),
    ),
  )
}
