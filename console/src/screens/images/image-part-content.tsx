import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { lazy, Suspense } from 'react'
import { Skeleton } from '../../parts/panel.tsx'
import type { ImagePart } from './parts.ts'

/** Each part is loaded when it is opened for the first time. */
const contents = {
  packages: lazy(() => import('./packages-part.tsx')),
  findings: lazy(() => import('./findings-part.tsx')),
  provenance: lazy(() => import('./provenance-part.tsx')),
  compare: lazy(() => import('./compare-part.tsx')),
}

export function ImagePartContent({ part, version }: { part: ImagePart; version: EnvironmentVersion }) {
  const Content = contents[part]
  return (
    <Suspense fallback={<Skeleton rows={8} />}>
      <Content version={version} />
    </Suspense>
  )
}
