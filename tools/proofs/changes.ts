import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

function git(...words: string[]): { status: number | null; output: string } {
  const { status, stdout } = spawnSync('git', words, { cwd: root, encoding: 'utf8' })
  return { status, output: (stdout ?? '').trim() }
}

export const currentCommit = (): string => git('rev-parse', 'HEAD').output

/** Whether the work tree has what the current commit has. */
export const isCommitted = (): boolean => git('status', '--porcelain').output === ''

/** The newest commit that the branch shares with its remote; the current one without a remote. */
export function commonCommit(): string {
  const { status, output } = git('merge-base', 'HEAD', 'origin/HEAD')
  return status === 0 ? output : 'HEAD'
}

/** Whether files below the paths differ from those of the commit, or of `otherwise` if this clone lacks the commit. */
export function hasChanged(commit: string, paths: readonly string[], otherwise: string): boolean {
  const base = git('cat-file', '-e', `${commit}^{commit}`).status === 0 ? commit : otherwise
  if (git('diff', '--quiet', base, '--', ...paths).status !== 0) return true
  return git('ls-files', '--others', '--exclude-standard', '--', ...paths).output !== ''
}
