/** The path of a name in a folder; without a folder, in the session itself. */
export const pathIn = (folder: string | undefined, name: string): string =>
  folder === undefined ? name : `${folder}/${name}`

/** The last part of a path. */
export const nameIn = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** The folders of a path from the outermost on, each with its whole path. */
export const foldersOf = (path: string): { name: string; path: string }[] =>
  path.split('/').map((name, at, parts) => ({ name, path: parts.slice(0, at + 1).join('/') }))

/** The folder of an address, which anybody may have written. */
export const folderIn = (value: unknown): { path?: string } =>
  typeof value === 'string' && value !== '' && value.length <= 4096 ? { path: value } : {}
