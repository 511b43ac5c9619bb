/*
 * Steps of the platform before an instruction, which compare it with the image and fail in its place. They run programs of the build
 * script in the image, with nothing of the image but its files.
 */

/** The name under which the builder has the folder with the programs. No stage and no image has such a name. */
export const checkFolderName = '.check'

/**
 * Where the step sees what it needs. The builder walks the path of a mount itself, and follows links of the image that lead to its own
 * files: so these are at the top, where there is nothing to follow.
 */
const pathOf = (name: string) => `/.sandbox-${name}`

export const programsPath = pathOf('check')
export const sourcePath = pathOf('source')

/** `mounts`: values of further `--mount` flags. */
export function checkStep(program: string, words: readonly string[], mounts: readonly string[] = []): string {
  const command = [`${programsPath}/busybox`, 'sh', `${programsPath}/${program}`, ...words]
  return [
    'RUN',
    ...[`type=bind,from=${checkFolderName},target=${programsPath}`, ...mounts].map(
      (mount) => `--mount=${mount}`,
    ),
    JSON.stringify(command),
  ].join(' ')
}
