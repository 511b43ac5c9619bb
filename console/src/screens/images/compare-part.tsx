import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { useQuery } from '@tanstack/react-query'
import { allVersionsOf } from '../../data/authoring/images.ts'
import { VersionSelect } from '../../parts/version-select.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { ComparedImages } from './compared-images.tsx'
import styles from './images.module.css'

const withImages = (versions: readonly EnvironmentVersion[]) =>
  versions.filter(({ promoted_digest }) => promoted_digest !== null)

/** A version beside another one of the same environment that has an image. */
export default function ComparePart({ version }: { version: EnvironmentVersion }) {
  const t = useTexts()
  const versions = useQuery({ ...allVersionsOf(version.environment_id), select: withImages })
  return (
    <section className={styles.part}>
      <h2 className="hidden">{t.images.parts.compare}</h2>
      <VersionSelect query={versions} shown={version}>
        {(other) => <ComparedImages key={other.id} before={other} after={version} />}
      </VersionSelect>
    </section>
  )
}
