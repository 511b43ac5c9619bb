/** Folders of the machine in which the service or a program that it starts may write, besides those of the runtime. */
export const machineFolders = ['/dev/shm', '/var/log', '/var/tmp', '/var/lib/systemd/coredump']

/** The start of a command whose output goes to a file too. The command keeps the shell's process id. */
export const teedTo = (file: string): string[] => [
  '/bin/bash',
  '-c',
  'exec "$@" > >(exec tee "$0") 2>&1',
  file,
]
