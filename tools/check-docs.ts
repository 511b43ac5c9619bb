import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'

/**
 * Checks that documents name only existing files: relative links with their anchors, and paths in backticks. Paths
 * may be relative to the root, to the document, or to one of `bases`; a bare file name may be anywhere.
 */
const root = join(import.meta.dirname, '..')
const bases = ['', 'server/', 'agent/']
const generated = ['docs/states.md']

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter(Boolean)
const folders = files.flatMap((file) => {
  const parts = file.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
})
const paths = new Set([...files, ...folders])
const names = new Set(files.map((file) => basename(file)))

const anchorsOf = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    ),
  )

const read = (file: string): string => readFileSync(join(root, file), 'utf8')

function linkFaults(file: string, text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^[a-z]+:/.test(target)) return []
    const [path = '', anchor] = target.split('#')
    const resolved = path === '' ? file : posix.normalize(posix.join(dirname(file), path)).replace(/\/$/, '')
    if (!paths.has(resolved)) return [`${file}: no file ${target}`]
    return anchor && !anchorsOf(read(resolved)).has(anchor) ? [`${file}: no heading ${target}`] : []
  })
}

/** Paths of the source tree; commands, URLs and names in data folders are not. */
const sourcePath = /^[a-z][\w.-]*(\/[\w.-]+)*\.(ts|c|h|sql|sh|cjs|md)$|^[\w-]+(\/[\w-]+)+\/$/

function pathFaults(file: string, text: string): string[] {
  const code = text.replaceAll(/^```[\s\S]*?^```/gm, '')
  return [...code.matchAll(/`([^`\n]+)`/g)].flatMap(([, path = '']) => {
    if (!sourcePath.test(path) || path.includes('NNNN')) return []
    if (!path.includes('/') && names.has(path)) return []
    const full = path.replace(/\/$/, '')
    const from = [...bases, `${dirname(file)}/`].map((base) => posix.normalize(base + full))
    return from.some((candidate) => paths.has(candidate)) ? [] : [`${file}: no file ${path}`]
  })
}

const documents = files.filter((file) => file.endsWith('.md') && !generated.includes(file))
const faults = documents.flatMap((file) => {
  const text = read(file)
  return [...linkFaults(file, text), ...pathFaults(file, text)]
})
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
