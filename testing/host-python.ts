import { execFileSync } from 'node:child_process'

const version = 'python3.11'
const leftOut = [
  '__pycache__',
  'config-*',
  'dist-packages',
  'distutils',
  'ensurepip',
  'idlelib',
  'lib2to3',
  'pydoc_data',
  'test',
  'tkinter',
  'turtledemo',
]

/** A tar of Debian's Python as it is installed here, under its usual paths: an image for programs of tests. */
export function hostPythonTar(): Buffer {
  const excluded = leftOut.map((name) => `--exclude='*/${name}'`).join(' ')
  const paths = [
    `usr/bin/${version}`,
    `usr/lib/${version}`,
    'lib64/ld-linux-x86-64.so.2',
    'lib/x86_64-linux-gnu/lib[mc].so.6',
    'lib/x86_64-linux-gnu/libz.so.1',
    'lib/x86_64-linux-gnu/libexpat.so.1',
  ]
  const renamed = `--transform='s,^usr/bin/${version}$,usr/bin/python3,'`
  const command = `tar -C / -c -h --owner=0 --group=0 ${renamed} ${excluded} ${paths.map((path) => `$(cd / && ls -d ${path})`).join(' ')}`
  return execFileSync('bash', ['-c', command], { maxBuffer: 256 * 1024 * 1024 })
}
