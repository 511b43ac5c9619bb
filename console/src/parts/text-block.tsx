import { TenantText } from './tenant-text.tsx'
import styles from './text-block.module.css'

/** A text of a tenant on lines, which scrolls by the keyboard too. */
export const TextBlock = ({ label, text }: { label: string; text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard
  <section className={styles.block} aria-label={label} tabIndex={0}>
    <pre>
      <TenantText text={text} />
    </pre>
  </section>
)
