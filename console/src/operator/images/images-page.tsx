import { useQuery } from '@tanstack/react-query'
import { DateTime } from '../../parts/date-time.tsx'
import { IdText } from '../../parts/id-text.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { Commands } from '../commands.tsx'
import { blockedImages } from '../operator-api.ts'
import { Table } from '../operator-table.tsx'
import { useOperatorTexts } from '../texts/operator-texts.tsx'

/** The images that no company may start runs on. Commands block them and make base images. */
export function ImagesPage() {
  const t = useOperatorTexts()
  const query = useQuery(blockedImages)
  const own = t.images
  return (
    <Page title={own.title} product={t.product}>
      <Panel query={query} rows={4}>
        {({ blocked }) => (
          <Table
            title={own.blocked}
            none={own.none}
            rows={blocked}
            keyOf={({ digest }) => digest}
            columns={[
              { name: own.digest, show: ({ digest }) => <IdText id={digest} /> },
              { name: own.since, show: ({ blocked_at }) => <DateTime at={blocked_at} />, isWide: true },
              { name: t.acts.reason, show: ({ reason }) => <TenantText text={reason} /> },
            ]}
          />
        )}
      </Panel>
      <Commands
        commands={[
          { does: own.block, line: 'sandbox operator block DIGEST --reason TEXT' },
          { does: own.unblock, line: 'sandbox operator unblock DIGEST' },
          { does: own.bases, line: 'sandbox operator base-image list' },
          { does: own.releases, line: 'sandbox operator runner-release list' },
          { does: own.curated, line: 'sandbox operator environment list' },
        ]}
      />
    </Page>
  )
}
