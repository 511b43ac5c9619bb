import { posix } from 'node:path'
import { shellWord } from '@sandbox-jobs/contract/resources/environments/job-prelude.ts'
import {
  artifactsDir,
  inputsDir,
  platformShell,
} from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'

/*
 * Shell lines that give a program the artifacts of its run at a path of its platform.
 *
 * `ls -l` and `find` follow no link that they are given, so the path is no link: its parent is one, to a folder of the workspace that
 * has the folder of artifacts. Where the image does not allow that, because its user is not root or the parent is not empty, the
 * path itself is the link, which the image may have too.
 */

/** A file that the run takes under a name of its own, and where the program finds it. */
export interface PlacedInput {
  name: string
  path: string
}

export interface SharedFolder {
  /** Where the program finds the folder. */
  path: string
  /** The folder of artifacts that is collected, below the workspace, with the same name. */
  collected: string
}

const tool = (name: string) => `${platformShell} ${name}`

/** Moves the folder of artifacts, leaves a link at its usual place, and copies the inputs into it. */
export function sharedFolder(
  { path, collected }: SharedFolder,
  inputs: readonly PlacedInput[],
  orFail: string,
): string[] {
  const parent = posix.dirname(path)
  const kept = posix.dirname(collected)
  return [
    `${tool('mkdir')} ${kept} && ${tool('mv')} ${artifactsDir} ${collected} && ${tool('ln')} -s ${collected} ${artifactsDir} ${orFail}`,
    '{',
    `[ ! -L ${path} ] || ${tool('rm')} -f ${path}`,
    `${tool('rmdir')} ${path}; ${tool('rmdir')} ${parent}`,
    `[ -e ${parent} ] || ${tool('ln')} -s ${kept} ${parent}`,
    `[ -e ${path} ] || { ${tool('mkdir')} -p ${parent}; ${tool('ln')} -s ${collected} ${path}; }`,
    '} >/dev/null 2>&1',
    ...inputs.map((input) => {
      const target = `${artifactsDir}/${input.path}`
      const folder = shellWord(target.slice(0, target.lastIndexOf('/')))
      const from = shellWord(`${inputsDir}/${input.name}`)
      const to = shellWord(target)
      return `${tool('mkdir')} -p ${folder} && ${tool('cp')} ${from} ${to} && ${tool('chmod')} u+w ${to} ${orFail}`
    }),
  ]
}

/** Behind the program: an input that it did not change is no result. */
export const withoutUnchanged = (inputs: readonly PlacedInput[]): string[] =>
  inputs.map((input) => {
    const to = shellWord(`${artifactsDir}/${input.path}`)
    return `${tool('cmp')} -s ${shellWord(`${inputsDir}/${input.name}`)} ${to} && ${tool('rm')} -f ${to}`
  })
