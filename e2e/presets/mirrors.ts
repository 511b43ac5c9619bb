import { InnerHost } from '../main-job/inner-host.ts'
import type { OwnService } from '../main-job/service.ts'
import { addressOn, PackageServer } from './package-server.ts'
import { debianArchives, debianSource, nodeSource, pythonSource } from './package-sources.ts'

/** A server for pip, npm and apt, at an inner address that build steps reach as a mirror only. */
export async function startPackages(): Promise<PackageServer> {
  const archives = await debianArchives()
  const debian = [...archives].map(([name, address]) => [name, debianSource(address)] as const)
  const host = await InnerHost.make()
  try {
    const npm = await nodeSource(`${addressOn(host)}/npm`)
    return await PackageServer.start(host, { pypi: pythonSource, npm, ...Object.fromEntries(debian) })
  } catch (error) {
    await host.dispose()
    throw error
  }
}

/** Declares it to the service as an operator does. */
export async function declareMirrors(service: OwnService, packages: PackageServer): Promise<void> {
  const add = (...words: string[]) => service.sandbox('operator', 'mirror', 'add', ...words)
  await add('pypi', `${packages.addressOf('pypi')}/simple`)
  await add('npm', packages.addressOf('npm'))
  for (const archive of (await debianArchives()).keys())
    await add('apt', packages.addressOf(archive), '--archive', archive)
}
