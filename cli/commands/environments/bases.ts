import type { BaseImage, BaseImageList } from '@sandbox-jobs/contract/resources/builds/base-image.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { bytesText } from '../../output/sizes.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

export const basesCommand = (): Command =>
  serviceCommand('bases')
    .description('list the base images that a Dockerfile can start from')
    .action((options: ConnectionOptions) =>
      withSession(options, async (session) => {
        const list = await session.client.call(allRoutes.listBaseImages)
        session.report.result(`${imagesText(list)}${registriesText(list)}`, list)
      }),
    )

const headings = ['FROM', 'LANGUAGES', 'DEBIAN', 'SIZE', 'CREATED', 'PACKAGES']

const imagesText = ({ items }: BaseImageList): string =>
  items.length === 0
    ? 'The operator has made no base image; FROM scratch always works.\n'
    : table(headings, items.map(rowOf))

const rowOf = (image: BaseImage): string[] => [
  image.name,
  image.languages.map(({ name, version }) => `${name} ${version}`).join(', '),
  image.debian ?? '',
  image.byte_size === null ? '' : bytesText(image.byte_size),
  image.made_at?.slice(0, 10) ?? '',
  image.packages.join(', '),
]

function registriesText({ registry, other_registries }: BaseImageList): string {
  const own = registry === null ? 'are refused' : `are pulled from ${escapeControls(registry)}`
  const others = other_registries ? 'are pulled from it' : 'are refused'
  return `Other names without a host ${own}; names with another host ${others}.\n`
}
