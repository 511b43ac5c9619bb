import { edit, type Hole } from './hole.ts'

export const ofEnvironment: Hole[] = [
  {
    name: 'the runtime has the job’s environment',
    edits: [
      edit(
        'bundle/runtimes.ts',
        "...[program, '--cgroup-manager=disabled'",
        "...['/usr/bin/env', ...Object.entries(arguments[0].env).map((pair) => pair.join('=')), program, '--cgroup-manager=disabled'",
      ),
    ],
    tries: ['environment/preload', 'environment/audit', 'environment/homes'],
    // The launcher is static: no variable of its own loads a file.
    runtime: 'crun',
  },
]
