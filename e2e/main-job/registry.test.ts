import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { routesOf, TestRegistry, testImage } from '../../testing/registry/registry-fixture.ts'
import { InnerHost } from './inner-host.ts'
import { type OwnService, sandboxProgram, startService } from './service.ts'
import { ended, logIn, logOf, publish, runWhen, submit } from './tenant.ts'

/*
 * Environments based on images of the operator's registry, at an internal address, with its own certificate authority and
 * login, built by an author on the command line. Other registries are forbidden.
 */

const port = 5000
const login = 'puller:open sesame'
const greeting = randomBytes(8).toString('hex')
const image = testImage([{ name: 'greeting', content: `${greeting}\n` }])

let host: InnerHost
let registry: TestRegistry
/** Folder of files that the service reads. */
let folder: string
/** The author's home folder. */
let home: string

beforeAll(async () => {
  host = await InnerHost.make()
  registry = await TestRegistry.start(host.onHost, port, [`IP:${host.address}`])
  await registry.serve(routesOf('mirror/team/app', { '1': image.manifest }, [image]), login)
  folder = await mkdtemp(join(tmpdir(), 'e2e-registry-'))
  home = await mkdtemp(join(tmpdir(), 'e2e-home-'))
  await chmod(folder, 0o755)
  await writeFile(join(folder, 'ca.pem'), await readFile(registry.authority))
  await writeFile(join(folder, 'login'), `${login}\n`)
  await writeFile(join(home, 'Dockerfile'), 'FROM team/app:1\nCOPY Dockerfile /d\n')
})
afterAll(async () => {
  await registry?.dispose()
  await host?.dispose()
  for (const made of [folder, home]) if (made) await rm(made, { recursive: true })
})

interface Outcome {
  exitCode: number
  stdout: string
  stderr: string
}

/** The command as an author runs it. */
function sandbox(service: OwnService, ...words: string[]): Promise<Outcome> {
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: home,
    SANDBOX_CLI_CONFIG: join(home, 'credentials.json'),
    SANDBOX_URL: service.url,
    SANDBOX_PASSWORD: service.password,
  }
  return new Promise((resolve) => {
    execFile(sandboxProgram, words, { env }, (error, stdout, stderr) =>
      resolve({ exitCode: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
}

test('an environment on an image of the registry is built, runs, and has that image in its provenance', async () => {
  const service = await startService({
    SANDBOX_REGISTRY: `${host.address}:${port}/mirror`,
    SANDBOX_REGISTRY_CA_FILE: join(folder, 'ca.pem'),
    SANDBOX_REGISTRY_LOGIN_FILE: join(folder, 'login'),
    SANDBOX_PUBLIC_REGISTRIES: 'false',
  })
  try {
    const tenant = await logIn(service)
    expect(await sandbox(service, 'login', '--user', service.user)).toMatchObject({ exitCode: 0 })
    const pushed = await sandbox(service, 'env', 'push', home, '--name', 'greeter', '--json')
    expect(pushed, pushed.stderr).toMatchObject({ exitCode: 0 })
    // The lines before it are stages.
    const { version } = JSON.parse(pushed.stdout.trim().split('\n').at(-1) ?? '') as {
      version: { id: string; state: string }
    }
    expect(version.state).toBe('ready')

    const workScript = 'read -r line </greeting && echo "from the image: $line"'
    const task = await publish(tenant, { environmentVersion: version.id, workScript })
    const { id } = await submit(tenant, task, null)
    expect(await runWhen(tenant, id, ended)).toMatchObject({ status: 'completed' })
    expect(await logOf(tenant, id)).toContain(`from the image: ${greeting}`)

    const provenance = await sandbox(service, 'env', 'provenance', 'greeter@1')
    const { predicate } = JSON.parse(provenance.stdout)
    expect(predicate.buildDefinition.resolvedDependencies).toContainEqual({
      name: 'team/app:1',
      digest: { sha256: image.manifest.digest.slice('sha256:'.length) },
    })
    expect(await sandbox(service, 'verify', 'greeter@1')).toMatchObject({ exitCode: 0 })

    await writeFile(join(home, 'Dockerfile'), `FROM ${host.here}:${port}/mirror/team/app:1\n`)
    const elsewhere = await sandbox(service, 'env', 'push', home, '--name', 'greeter', '--follow')
    expect(elsewhere.exitCode).toBe(1)
    expect(elsewhere.stdout + elsewhere.stderr).toContain('base_registry_forbidden')
    expect(elsewhere.stdout + elsewhere.stderr).toContain('SANDBOX_PUBLIC_REGISTRIES')
  } finally {
    await service.stop()
  }
})
