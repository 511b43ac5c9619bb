import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const examples = resolve(import.meta.dirname, '../../examples')

/** The examples that have a README of their own. */
export const documentedExamples = ['agent-loop', 'sales-report', 'shared-credential']

/** The blocks of commands of a README below `examples`, each as its lines. `path` is empty for that of the folder itself. */
export function documentedCommands(path: string): string[][] {
  const text = readFileSync(join(examples, path, 'README.md'), 'utf8')
  return [...text.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block.trim().split('\n'))
}
