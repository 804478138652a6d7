//! Exact substructure counts.
