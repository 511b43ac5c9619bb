import { join } from 'node:path'
import { defineConfig } from 'vite'
import { layerOrder } from './layer-order.ts'
import { slimRoutes } from './slim-routes.ts'

/** The oldest browsers with everything of Baseline 2024: for scripts by name, for styles by version. */
const browsers = ['chrome125', 'firefox128', 'safari18']
const browserVersions = { chrome: 125 << 16, firefox: 128 << 16, safari: 18 << 16 }

/** Assets have hashed names and stay files: the policy of the page allows no `data:` addresses and no inline code. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [slimRoutes(), layerOrder()],
  css: { transformer: 'lightningcss', lightningcss: { targets: browserVersions } },
  build: {
    target: browsers,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One file: the order of the layers holds for all screens, and all styles together are small.
    cssCodeSplit: false,
    emptyOutDir: true,
    license: { fileName: 'licences.txt' },
    rolldownOptions: {
      input: ['index.html', 'operator.html'].map((page) => join(import.meta.dirname, page)),
      output: {
        // Two requests for what every screen needs; the rest comes with its screen.
        codeSplitting: {
          groups: [
            { name: 'framework', test: /\/node_modules\/(react|react-dom|scheduler|@tanstack)\// },
            // Without the editor: it would bring its packages to every screen.
            { name: 'shared', test: /\/(contract|console\/src\/(?!editor\/))/, minShareCount: 2 },
          ],
        },
      },
      onwarn(warning, warn) {
        // Directives of server components mean nothing in a bundle for browsers.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning)
      },
    },
  },
})
