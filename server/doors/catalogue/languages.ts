import type { DoorRuntime } from '@sandbox-jobs/contract/resources/doors/door.ts'

/**
 * A language that the service knows: its other names on the platforms, the end of a file name, and its commands. `$1` is the
 * main file; the rest of `$@` are arguments, or the other files when it is compiled. A command that ends in `exec` has the
 * exit code and the signal of the program itself.
 */
interface Language {
  names: readonly [string, ...string[]]
  extension: string
  run: string
  compile?: string
}

const program = 'shift; exec ./program "$@"'

const languages: readonly Language[] = [
  { names: ['python', 'py', 'py3', 'python3'], extension: 'py', run: 'exec python3 "$@"' },
  {
    names: ['javascript', 'js', 'node', 'nodejs', 'node-js', 'node-javascript'],
    extension: 'js',
    run: 'exec node "$@"',
  },
  { names: ['typescript', 'ts', 'node-ts'], extension: 'ts', run: 'exec node "$@"' },
  { names: ['bash'], extension: 'sh', run: 'exec bash "$@"' },
  { names: ['sh', 'dash'], extension: 'sh', run: 'exec sh "$@"' },
  { names: ['ruby', 'rb'], extension: 'rb', run: 'exec ruby "$@"' },
  { names: ['perl', 'pl'], extension: 'pl', run: 'exec perl "$@"' },
  { names: ['php'], extension: 'php', run: 'exec php "$@"' },
  { names: ['lua'], extension: 'lua', run: 'exec lua "$@"' },
  { names: ['r', 'rscript'], extension: 'R', run: 'exec Rscript "$@"' },
  { names: ['java'], extension: 'java', run: 'exec java "$@"' },
  { names: ['go', 'golang'], extension: 'go', compile: 'go build -o program "$@"', run: program },
  { names: ['c', 'gcc'], extension: 'c', compile: 'gcc -O2 -o program "$@" -lm', run: program },
  {
    names: ['c++', 'cpp', 'g++'],
    extension: 'cpp',
    compile: 'g++ -O2 -o program "$@"',
    run: program,
  },
  { names: ['rust', 'rs'], extension: 'rs', compile: 'rustc -O -o program "$1"', run: program },
  { names: ['d', 'dlang'], extension: 'd', compile: 'ldc2 -of=program "$@"', run: program },
  {
    names: ['fortran', 'f90'],
    extension: 'f90',
    compile: 'gfortran -O2 -o program "$@"',
    run: program,
  },
]

/** Undefined for a language that the service does not know. */
export const languageNamed = (name: string): Language | undefined =>
  languages.find(({ names }) => names.includes(name))

/** The name of the file with the code, where the platform gives none. */
export const mainFileOf = ({ language }: Pick<DoorRuntime, 'language'>): string =>
  `main.${languageNamed(language)?.extension ?? 'code'}`

/** The first language of the door with that name. */
export const runtimeNamed = (runtimes: readonly DoorRuntime[], name: string): DoorRuntime | undefined =>
  runtimes.find(({ language }) => language === name) ?? runtimes.find(({ aliases }) => aliases.includes(name))
