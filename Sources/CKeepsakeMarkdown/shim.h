#pragma once

// cmark-gfm, GitHub's parser of Markdown.
#include <cmark-gfm.h>
#include <cmark-gfm-core-extensions.h>

/// What a node is. The library tells its extensions' kinds by variables that are set when they are registered, which
/// Swift takes for shared mutable state; here they are constants.
enum keepsake_markdown_kind {
  KEEPSAKE_MARKDOWN_OTHER,
  KEEPSAKE_MARKDOWN_QUOTE,
  KEEPSAKE_MARKDOWN_LIST,
  KEEPSAKE_MARKDOWN_ITEM,
  KEEPSAKE_MARKDOWN_CODE_BLOCK,
  KEEPSAKE_MARKDOWN_HTML_BLOCK,
  KEEPSAKE_MARKDOWN_PARAGRAPH,
  KEEPSAKE_MARKDOWN_HEADING,
  KEEPSAKE_MARKDOWN_RULE,
  KEEPSAKE_MARKDOWN_TABLE,
  KEEPSAKE_MARKDOWN_ROW,
  KEEPSAKE_MARKDOWN_CELL,
  KEEPSAKE_MARKDOWN_TEXT,
  KEEPSAKE_MARKDOWN_SOFT_BREAK,
  KEEPSAKE_MARKDOWN_LINE_BREAK,
  KEEPSAKE_MARKDOWN_CODE,
  KEEPSAKE_MARKDOWN_HTML_INLINE,
  KEEPSAKE_MARKDOWN_EMPHASIS,
  KEEPSAKE_MARKDOWN_STRONG,
  KEEPSAKE_MARKDOWN_STRIKETHROUGH,
  KEEPSAKE_MARKDOWN_LINK,
  KEEPSAKE_MARKDOWN_IMAGE,
};

extern cmark_node_type CMARK_NODE_TABLE, CMARK_NODE_TABLE_ROW, CMARK_NODE_TABLE_CELL,
    CMARK_NODE_STRIKETHROUGH;

static inline enum keepsake_markdown_kind keepsake_markdown_kind_of(cmark_node *node) {
  cmark_node_type type = cmark_node_get_type(node);
  switch (type) {
    case CMARK_NODE_BLOCK_QUOTE: return KEEPSAKE_MARKDOWN_QUOTE;
    case CMARK_NODE_LIST: return KEEPSAKE_MARKDOWN_LIST;
    case CMARK_NODE_ITEM: return KEEPSAKE_MARKDOWN_ITEM;
    case CMARK_NODE_CODE_BLOCK: return KEEPSAKE_MARKDOWN_CODE_BLOCK;
    case CMARK_NODE_HTML_BLOCK: return KEEPSAKE_MARKDOWN_HTML_BLOCK;
    case CMARK_NODE_PARAGRAPH: return KEEPSAKE_MARKDOWN_PARAGRAPH;
    case CMARK_NODE_HEADING: return KEEPSAKE_MARKDOWN_HEADING;
    case CMARK_NODE_THEMATIC_BREAK: return KEEPSAKE_MARKDOWN_RULE;
    case CMARK_NODE_TEXT: return KEEPSAKE_MARKDOWN_TEXT;
    case CMARK_NODE_SOFTBREAK: return KEEPSAKE_MARKDOWN_SOFT_BREAK;
    case CMARK_NODE_LINEBREAK: return KEEPSAKE_MARKDOWN_LINE_BREAK;
    case CMARK_NODE_CODE: return KEEPSAKE_MARKDOWN_CODE;
    case CMARK_NODE_HTML_INLINE: return KEEPSAKE_MARKDOWN_HTML_INLINE;
    case CMARK_NODE_EMPH: return KEEPSAKE_MARKDOWN_EMPHASIS;
    case CMARK_NODE_STRONG: return KEEPSAKE_MARKDOWN_STRONG;
    case CMARK_NODE_LINK: return KEEPSAKE_MARKDOWN_LINK;
    case CMARK_NODE_IMAGE: return KEEPSAKE_MARKDOWN_IMAGE;
    default: break;
  }
  if (type == CMARK_NODE_TABLE) return KEEPSAKE_MARKDOWN_TABLE;
  if (type == CMARK_NODE_TABLE_ROW) return KEEPSAKE_MARKDOWN_ROW;
  if (type == CMARK_NODE_TABLE_CELL) return KEEPSAKE_MARKDOWN_CELL;
  if (type == CMARK_NODE_STRIKETHROUGH) return KEEPSAKE_MARKDOWN_STRIKETHROUGH;
  return KEEPSAKE_MARKDOWN_OTHER;
}

/// Whether an item of a list has a box to tick: the library tells it by the name of the node's type alone.
static inline int keepsake_markdown_is_task(cmark_node *node) {
  const char *name = cmark_node_get_type_string(node);
  return name[0] == 't';  // "tasklist"; an item without a box is an "item".
}
