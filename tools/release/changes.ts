import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `node tools/release/changes.ts VERSION`: prints the changes of a release, which HEAD is: its section of CHANGELOG.md, and the migrations and
 * commits since the release before it.
 */
const root = join(import.meta.dirname, '../..')
const [, , version = ''] = process.argv

const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
const [, after = ''] = changelog.split(`\n## ${version}\n`)
const section = after.split(/^## /m)[0]?.trim()
if (!section) {
  console.error(
    `CHANGELOG.md has no section "## ${version}", or an empty one: write what changes for users and operators.`,
  )
  process.exit(2)
}

const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
/** Undefined at the first release. */
function releaseBefore(): string | undefined {
  const argv = ['describe', '--tags', '--abbrev=0', '--match=v[0-9]*', 'HEAD^']
  const { status, stdout } = spawnSync('git', argv, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

const before = releaseBefore()
const parts = [`# Sandbox Jobs ${version}`, section]
if (before !== undefined) {
  const added = git('diff', '--name-only', '--diff-filter=A', before, 'HEAD', '--', 'server/db/migrations')
  const names = [...added.matchAll(/([^/\n]+)[.]ts$/gm)].map(([, name]) => name)
  const way = names.some((name) => name?.includes('-contract-'))
    ? `The way back to ${before} is a backup of it.`
    : `${before} can be installed again on the same data.`
  parts.push(
    '### Migrations of the database',
    [...names.map((name) => `- ${name}`), '', way].join('\n').trim(),
  )
  parts.push(
    `### Commits since ${before}`,
    git('log', '--no-merges', '--format=- %s (%h)', `${before}..HEAD`),
  )
}
console.log(parts.join('\n\n'))
