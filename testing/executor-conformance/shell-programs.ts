import { busybox } from '../agent/test-agent.ts'
import type { ExecutorUnderTest } from './under-test.ts'

const shell = (script: string) => [busybox, 'sh', '-c', script]

/** The programs of the suite, for sandboxes with the platform's shell. */
export const shellPrograms: ExecutorUnderTest['programs'] = {
  echo: shell('tee output.json; exit 3'),
  endless: shell('echo begun; exec sleep 1000'),
  leave: shell(
    'mkdir -p artifacts/a session; printf one >artifacts/a/b; printf kept >session/old; printf new >session/new',
  ),
  fill: shell('dd if=/dev/zero of=full bs=1M; exit 9'),
  compute: shell('at=0; while [ $at -lt 100000 ]; do at=$((at + 1)); done'),
}
