//! The rules of the problems that come with Nestor: one file per problem.

pub mod crossword;
pub mod hash_tree;
pub mod morpion;
pub mod samegame;
pub mod tsptw;
