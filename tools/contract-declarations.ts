import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

const filesOf = (folder: string): [string, string][] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => [`${folder}/${name}`, readFileSync(join(root, folder, name), 'utf8')])

const declared = (folders: string[], pattern: RegExp): Map<string, string> =>
  new Map(
    folders
      .flatMap(filesOf)
      .flatMap(([file, text]) =>
        [...text.matchAll(pattern)].map(([, name = '']): [string, string] => [name, file]),
      ),
  )

/** The files that declare schemas and routes, by the names of those. */
export const declarations = {
  schemas: declared(['contract/resources', 'contract/errors'], /^export const (\w+) =/gm),
  routes: declared(['contract/routes'], /^ {2}(\w+): route\(/gm),
}
