import { readFile } from 'node:fs/promises'
import type { ContextFiles } from './author.ts'

/** The file that changes in `build-small`: two thirds of the steps come before it. */
const changing = 'f6'

const dockerfile = `FROM scratch
COPY busybox /bin/busybox
RUN ["/bin/busybox", "ln", "-s", "busybox", "/bin/sh"]
COPY f1 /f1
COPY f2 /f2
COPY f3 /f3
RUN /bin/busybox sha256sum /f1 >/sums
COPY f4 /f4
COPY f5 /f5
COPY f6 /f6
RUN /bin/busybox sha256sum /f6 >>/sums
ENV A=b
USER 1000
`

/** A build of twelve steps on only a static busybox, so that the measured time is that of the steps. */
export async function twelveSteps(change = 'unchanged'): Promise<ContextFiles> {
  const plain = ['f1', 'f2', 'f3', 'f4', 'f5', changing].map((name) => [name, `${name}\n`])
  return {
    ...Object.fromEntries(plain),
    [changing]: `${change}\n`,
    busybox: await readFile('/bin/busybox'),
    Dockerfile: dockerfile,
  }
}
