import { installedPrograms } from '../../server/native-programs/installed.ts'

/** The programs that confine the service's own processes. */
export interface Confinement {
  /** Library that protects a process's memory from other processes of its user. */
  notDumpable: string
  /** Library that installs the seccomp filter of an archive reader. */
  seal: string
  /** Program that starts archive readers. */
  readerStart: string
}

/** Paths below `folder`, which must be readable for all and writable only for the caller. */
export function installedConfinement(folder: string): Confinement {
  const found = installedPrograms(folder, ['not-dumpable.so', 'seal.so', 'reader-start'])
  return { notDumpable: found['not-dumpable.so'], seal: found['seal.so'], readerStart: found['reader-start'] }
}
