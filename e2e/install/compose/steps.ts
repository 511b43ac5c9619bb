import { copyFile, cp, mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { makeDebianRoot } from '../../first-hour/debian-root.ts'
import type { Printed } from '../../first-hour/fresh-root.ts'
import { requireParts, type Step } from '../../first-hour/step.ts'
import { checkout } from '../../main-job/service.ts'
import { startWaiting, untilRun } from '../waiting-task.ts'
import type { Engine } from './engine.ts'
import { Project } from './project.ts'

const base = 'debian-of-compose-tests'

/** The image of the service, started with its compose.yaml. */
export function composeSteps(engine: Engine, packageFile: string): Step[] {
  const project = new Project(engine)
  const step = (does: string, run: () => Promise<void>): Step => ({ person: 'operator', does, run })
  return [
    step('makes a base of Debian packages and builds the image on it', async () => {
      await cp(join(checkout, 'install/container'), project.folder, { recursive: true })
      await copyFile(packageFile, join(project.folder, basename(packageFile)))
      await makeBase(engine)
      await project.compose('build', '--build-arg', `BASE=${base}`)
    }),
    step('is told what a container without rights lacks, which starts nothing', async () => {
      const alone = ['docker', 'run', '--rm', 'sandbox-jobs', 'sandbox']
      const missing = ['without NET_ADMIN', 'read-only', 'sandbox mounts', 'loop devices', 'container.md']
      requireFailed(await engine.command(...alone, 'doctor'), 1, ...missing)
      requireFailed(await engine.command(...alone, 'up'), 5, 'capabilities')
    }),
    step('starts it, which is ready and lacks nothing', async () => {
      await project.up()
      requireParts(await project.sandbox('doctor'), 'This machine can run Sandbox Jobs.')
    }),
    step('builds and runs a task, which is isolated', async () => {
      await project.deploy()
      await project.requireIsolatedRun()
    }),
    step('restarts the container, which keeps the data and ends what runs', async () => {
      const id = await startWaiting(project)
      await project.compose('restart')
      await project.untilReady()
      await untilRun(project, id, 'platform_failed')
      await project.requireIsolatedRun()
    }),
    step('kills the container and makes a new one, which continues with the data', async () => {
      await project.compose('kill')
      await project.compose('rm', '--force')
      await project.up()
      await project.logIn()
      await project.requireIsolatedRun()
    }),
    step('stops it', async () => {
      await project.compose('down', '--volumes')
    }),
  ]
}

/** A Debian of packages as an image of the engine: no registry is asked. */
async function makeBase(engine: Engine): Promise<void> {
  const root = join(engine.folder, 'base')
  await mkdir(root)
  await makeDebianRoot(root, 'bookworm')
  await rm(join(root, 'sandbox-jobs'), { recursive: true })
  await engine.must('sh', '-c', `tar -C ${root} --numeric-owner -c . | docker import - ${base}`)
  await rm(root, { recursive: true })
}

function requireFailed({ code, text }: Printed, expected: number, ...parts: string[]): void {
  if (code !== expected) throw new Error(`ends with ${code}:\n${text}`)
  requireParts(text, ...parts)
}
