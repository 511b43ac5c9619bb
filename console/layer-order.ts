import type { Plugin } from 'vite'

const order = '@layer reset, tokens, base, components, screens;'

/**
 * Puts the order of the cascade layers before all styles. The first layer that a browser meets is the weakest, and the
 * order of files in a bundle follows its chunks.
 */
export const layerOrder = (): Plugin => ({
  name: 'layer-order',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      for (const asset of Object.values(bundle))
        if (asset.type === 'asset' && asset.fileName.endsWith('.css'))
          asset.source = `${order}${asset.source}`
    },
  },
})
