import { loadableWith } from '../../../../agent/host/loadable-with.ts'
import { type Confinement, installedConfinement } from '../../../../reader/confine/confinement.ts'
import { NativeProgramsRefused } from '../../../native-programs/installed.ts'
import { exitCodes, ServiceProblem } from '../service-problem.ts'

/**
 * The programs and libraries that confine the service's processes, copied below `folder`. Rejects if ld.so starts `node` without the
 * library that protects its memory, as it does if the file system is mounted with `noexec`.
 */
export async function serviceConfinement(folder: string, node: string): Promise<Confinement> {
  const confinement = installed(folder)
  const { notDumpable } = confinement
  if ((await loadableWith(node, notDumpable)) === undefined) {
    throw new ServiceProblem(
      exitCodes.dataFolder,
      `${node} cannot be started with ${notDumpable}: choose another data folder with SANDBOX_DATA, on a file system that is not mounted with noexec`,
    )
  }
  return confinement
}

function installed(folder: string): Confinement {
  try {
    return installedConfinement(folder)
  } catch (cause) {
    if (!(cause instanceof NativeProgramsRefused)) throw cause
    throw new ServiceProblem(exitCodes.toolMissing, cause.message, { cause })
  }
}
